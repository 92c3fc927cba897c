/** What a model is called: an id, which may go to another connection, and a full name, which does not. */
interface Named {
  readonly id: string;
  readonly connection: string;
  readonly name: string;
}

/** The model with this full name, else the one with this id: as the server understands it. */
export const findModel = <T extends Named>(models: readonly T[], reference: string): T | undefined =>
  models.find((model) => `${model.connection}/${model.name}` === reference) ??
  models.find((model) => model.id === reference);
