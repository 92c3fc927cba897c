/** Whether this browser shows reminders while the app is closed; it is asked only when a person presses. */
import { storageOwner } from '$features/session/storageOwner';
import { decodeBase64Url } from '$lib/base64Url';
import { readStored, removeStored, writeStored } from '$lib/storage';
import {
  addPushSubscription,
  getPushKey,
  removePushSubscription,
  type PushSubscriptionBody,
} from './requests';

export type PushState = 'unsupported' | 'denied' | 'off' | 'on';

/** Who has turned them on here: whoever signs in later does not. */
const storageKey = (): string => `tertulia.push.${storageOwner()}`;

class PushSwitch {
  state = $state<PushState>('off');
  isBusy = $state(false);

  /** Find out how it stands, and tell the server anew where it is on: a sign-in is a new one each time. */
  async open(): Promise<void> {
    this.state = currentState();
    if (this.state !== 'off' || readStored(storageKey()) !== true) return;
    if (Notification.permission !== 'granted') return;
    const subscription = await this.#find().catch(() => null);
    if (!subscription) return;
    await addPushSubscription(bodyOf(subscription)).catch(() => undefined);
    this.state = 'on';
  }

  /** Ask the browser for permission, and have the server send here. */
  turnOn = (): Promise<void> =>
    this.#work(async () => {
      if ((await Notification.requestPermission()) !== 'granted') {
        this.state = currentState();
        return;
      }
      const key = decodeBase64Url(await getPushKey());
      await addPushSubscription(bodyOf(await this.#subscribe(key)));
      writeStored(storageKey(), true);
      this.state = 'on';
    });

  turnOff = (): Promise<void> =>
    this.#work(async () => {
      const subscription = await this.#find();
      if (subscription) {
        await removePushSubscription(subscription.endpoint);
        await subscription.unsubscribe();
      }
      removeStored(storageKey());
      this.state = currentState();
    });

  async #work(act: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    try {
      await act();
    } finally {
      this.isBusy = false;
    }
  }

  /** Subscribe anew where the browser has a subscription by another server's key, or an earlier one. */
  async #subscribe(key: Uint8Array<ArrayBuffer>): Promise<PushSubscription> {
    const { pushManager } = await navigator.serviceWorker.ready;
    const options = { userVisibleOnly: true, applicationServerKey: key };
    try {
      return await pushManager.subscribe(options);
    } catch (error) {
      const earlier = await pushManager.getSubscription();
      if (!earlier) throw error;
      await earlier.unsubscribe();
      return pushManager.subscribe(options);
    }
  }

  async #find(): Promise<PushSubscription | null> {
    return (await navigator.serviceWorker.ready).pushManager.getSubscription();
  }
}

export function currentState(): PushState {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'off';
}

export function bodyOf(subscription: PushSubscription): PushSubscriptionBody {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? '', keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } };
}

export const pushSwitch = new PushSwitch();
