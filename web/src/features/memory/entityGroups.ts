/** Names and things that were mentioned, by what they are. */
import type { Entity } from './requests';
import { words } from './texts';

export interface EntityGroup {
  readonly type: Entity['type'];
  readonly entities: readonly Entity[];
}

/** Group what holds now: what was replaced is told with what took its place. */
export function groupEntities(entities: readonly Entity[]): EntityGroup[] {
  const types = Object.keys(words.entityTypes) as Entity['type'][];
  return types
    .map((type) => ({
      type,
      entities: entities.filter((entity) => entity.type === type && entity.replaced_by === null),
    }))
    .filter((group) => group.entities.length > 0);
}
