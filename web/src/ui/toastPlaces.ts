/** Where a toast goes: over nothing that can be pressed, as near to the top of the screen as there is room. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Point {
  readonly left: number;
  readonly top: number;
}
export type Box = Size & Point;

const SCREEN_GAP_PX = 12;
const OBSTACLE_GAP_PX = 4;
const STEP_PX = 8;

/** Return where a toast covers no obstacle, else as little as possible; it stays where it is while it can. */
export function placeToast(size: Size, screen: Size, obstacles: readonly Box[], before?: Point): Point {
  let best: Point = { left: SCREEN_GAP_PX, top: SCREEN_GAP_PX };
  let least = Infinity;
  for (const point of [...(before ? [before] : []), ...candidates(size, screen)]) {
    if (!isOnScreen({ ...size, ...point }, screen)) continue;
    const covered = countCovered({ ...size, ...point }, obstacles);
    if (covered === 0) return point;
    if (covered < least) [best, least] = [point, covered];
  }
  return best;
}

/** Return the points to try: row by row, and in each first at the right. */
function candidates({ width, height }: Size, screen: Size): Point[] {
  const right = screen.width - width - SCREEN_GAP_PX;
  const columns = [right, Math.round((screen.width - width) / 2), SCREEN_GAP_PX];
  const points: Point[] = [];
  for (let top = SCREEN_GAP_PX; top + height <= screen.height - SCREEN_GAP_PX; top += STEP_PX)
    points.push(...columns.map((left) => ({ left, top })));
  return points;
}

const isOnScreen = ({ left, top, width, height }: Box, screen: Size): boolean =>
  left >= 0 && top >= 0 && left + width <= screen.width && top + height <= screen.height;

/** Return how many obstacles lie under a box; one that can still be pressed beside it counts in part. */
function countCovered(box: Box, obstacles: readonly Box[]): number {
  return obstacles.reduce((sum, obstacle) => {
    const { left, top, width, height } = withGap(obstacle);
    const across = Math.min(box.left + box.width, left + width) - Math.max(box.left, left);
    const down = Math.min(box.top + box.height, top + height) - Math.max(box.top, top);
    return sum + (Math.max(0, across) * Math.max(0, down)) / (width * height);
  }, 0);
}

const withGap = ({ left, top, width, height }: Box): Box => ({
  left: left - OBSTACLE_GAP_PX,
  top: top - OBSTACLE_GAP_PX,
  width: width + 2 * OBSTACLE_GAP_PX,
  height: height + 2 * OBSTACLE_GAP_PX,
});
