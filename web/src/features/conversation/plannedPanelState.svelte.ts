/** Whether the panel on what a conversation planned is open. */
class PlannedPanelState {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const plannedPanel = new PlannedPanelState();
