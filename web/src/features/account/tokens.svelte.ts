/** One's API tokens in this workspace, and the secret of the one just made. */
import { api, need, type Schemas } from '$api/client';
import { Fetched } from '$ui/fetched.svelte';

export type Token = Schemas['TokenView'];

export class Tokens extends Fetched<Token[]> {
  /** Shown once, and gone when the page is left. */
  secret = $state('');

  constructor() {
    super(async () => (await need(api.GET('/api/tokens'))).items);
  }

  async made(token: Schemas['NewTokenView']): Promise<void> {
    this.secret = token.token;
    await this.load();
  }

  async revoke(id: string): Promise<void> {
    await need(api.DELETE('/api/tokens/{token_id}', { params: { path: { token_id: id } } }));
    await this.load();
  }
}
