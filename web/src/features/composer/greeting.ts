/** How one is greeted at this hour. */
import { words } from './texts';

export function greeting(now: Date, name: string): string {
  const hour = now.getHours();
  const hello =
    hour >= 5 && hour < 12
      ? words.goodMorning
      : hour >= 12 && hour < 18
        ? words.goodAfternoon
        : words.goodEvening;
  return name.trim() ? `${hello}, ${name.trim()}` : hello;
}
