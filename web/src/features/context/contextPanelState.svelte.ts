/** Whether the panel on what models are shown is open: the meter, the menu and dividers open it. */
class ContextPanelState {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const contextPanel = new ContextPanelState();
