/** Whether the end of a conversation is followed while it grows. */
export interface ScrollPosition {
  readonly offset: number;
  /** What is left below the screen. */
  readonly below: number;
}

const NEAR_END_PX = 48;

/** Follow until the reader scrolls up, and again once the end is reached. */
export function shouldFollowEnd(following: boolean, before: ScrollPosition, now: ScrollPosition): boolean {
  if (now.below <= NEAR_END_PX && now.offset >= before.offset) return true;
  // Less content moves the screen up too, but then its end is still in view.
  if (now.offset < before.offset - 1) return now.below <= 1;
  return following;
}
