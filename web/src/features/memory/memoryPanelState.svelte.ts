/** Whether the panel on what was remembered from a conversation is open. */
class MemoryPanelState {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const memoryPanel = new MemoryPanelState();
