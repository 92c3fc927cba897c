/** The seats of a preset: its models, and how long each should think. */
import type { Schemas } from '$api/client';

type Effort = Schemas['Effort'];
type Seats = Pick<Schemas['PresetView'], 'models' | 'efforts'>;

/** Each seat in words, such as `gpt-5 (high)`. */
export function seatLabels({ models, efforts }: Seats, name = (model: string) => model): string[] {
  return models.map((model, place) => (efforts[place] ? `${name(model)} (${efforts[place]})` : name(model)));
}

/** The efforts for models that were moved, added or taken away: each keeps what it had before. */
export function keepEfforts(models: readonly string[], before: Seats): (Effort | null)[] {
  const left = before.models.map((model, place) => ({ model, effort: before.efforts[place] ?? null }));
  return models.map((model) => {
    const place = left.findIndex((seat) => seat.model === model);
    return place < 0 ? null : (left.splice(place, 1)[0]?.effort ?? null);
  });
}
