/** Whether the end of a conversation is followed while it grows. */
export interface Place {
  readonly offset: number;
  /** What is left below the screen. */
  readonly below: number;
}

const NEAR = 48;

/** Follow until the reader scrolls up, and again once the end is reached. */
export function follows(following: boolean, before: Place, now: Place): boolean {
  if (now.below <= NEAR && now.offset >= before.offset) return true;
  // Less content moves the screen up too, but then its end is still in view.
  if (now.offset < before.offset - 1) return now.below <= 1;
  return following;
}
