import Archive from '@lucide/svelte/icons/archive';
import ArchiveRestore from '@lucide/svelte/icons/archive-restore';
import Lock from '@lucide/svelte/icons/lock';
import Pencil from '@lucide/svelte/icons/pencil';
import Pin from '@lucide/svelte/icons/pin';
import PinOff from '@lucide/svelte/icons/pin-off';
import Trash from '@lucide/svelte/icons/trash-2';
import Users from '@lucide/svelte/icons/users';
import type { Conversation } from '$api/client';
import type { MenuItem } from '$ui/Menu.svelte';
import { deleteConversation } from './deleteConversation.svelte';
import { sharing } from './sharing.svelte';
import { conversationStore } from './conversationStore.svelte';
import { words } from './texts';

/** Return what can be done with a listed conversation. */
export function conversationMenuItems(
  conversation: Conversation,
  current: boolean,
  rename: () => void,
): MenuItem[] {
  const { archived, pinned } = conversation;
  const isShared = conversation.visibility === 'workspace';
  const change = (values: Parameters<typeof conversationStore.change>[1]) => () =>
    void conversationStore.change(conversation, values);
  return [
    { label: words.rename, icon: Pencil, act: rename },
    {
      label: pinned ? words.unpin : words.pin,
      icon: pinned ? PinOff : Pin,
      act: change({ pinned: !pinned }),
    },
    {
      label: isShared ? words.unshare : words.share,
      icon: isShared ? Lock : Users,
      act: isShared
        ? change({ visibility: 'private' })
        : () => void sharing.begin(conversation, change({ visibility: 'workspace' })),
    },
    {
      label: archived ? words.fromArchive : words.toArchive,
      icon: archived ? ArchiveRestore : Archive,
      act: change({ archived: !archived }),
    },
    {
      label: words.delete,
      icon: Trash,
      danger: true,
      divided: true,
      act: () => void deleteConversation(conversation.id, current),
    },
  ];
}
