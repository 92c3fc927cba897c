/** One's API tokens in this workspace, and the secret of the one just made. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';

export type Token = Schemas['TokenView'];

export class Tokens extends Resource<Token[]> {
  /** Shown once, and gone when the page is left. */
  secret = $state('');

  constructor() {
    super(async () => (await unwrap(api.GET('/api/tokens'))).items);
  }

  async showCreated(token: Schemas['NewTokenView']): Promise<void> {
    this.secret = token.token;
    await this.load();
  }

  async revoke(id: string): Promise<void> {
    await unwrap(api.DELETE('/api/tokens/{token_id}', { params: { path: { token_id: id } } }));
    await this.load();
  }
}
