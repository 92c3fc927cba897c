import { expect, it } from 'vitest';
import { singleFlight } from './singleFlight';

it('does it once more for all who asked meanwhile, never twice at once', async () => {
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const run = singleFlight(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
  });
  const all = [run(), run(), run()];
  expect(waiting).toHaveLength(1);
  waiting.shift()?.();
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  expect(waiting).toHaveLength(1);
  waiting.shift()?.();
  await Promise.all(all);
  expect(most).toBe(1);

  const later = run();
  expect(waiting).toHaveLength(1);
  waiting.shift()?.();
  await later;
});
