/** What was done in the workspace, a page at a time, with the names of those who did it. */
import { api, unwrap, type Schemas } from '$api/client';
import { Resource } from '$ui/resource.svelte';
import type { MemberNames } from './audit';

interface Log {
  readonly entries: readonly Schemas['AuditEntryView'][];
  readonly names: MemberNames;
  /** Where earlier entries go on; null at the first of all. */
  readonly next: string | null;
}

const page = (after: string | null) =>
  unwrap(api.GET('/api/audit', { params: { query: after ? { after, limit: 50 } : { limit: 50 } } }));

export class AuditLog extends Resource<Log> {
  constructor() {
    super(async () => {
      const [first, members] = await Promise.all([page(null), unwrap(api.GET('/api/members'))]);
      const names = Object.fromEntries(
        members.items.map((member) => [member.user_id, member.name || member.email]),
      );
      return { entries: first.items, names, next: first.next ?? null };
    });
  }

  /** Fetch the page of what was done before. */
  async loadMore(): Promise<void> {
    const log = this.value;
    if (!log?.next) return;
    const earlier = await page(log.next);
    this.value = { ...log, entries: [...log.entries, ...earlier.items], next: earlier.next ?? null };
  }
}
