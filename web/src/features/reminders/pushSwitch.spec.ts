// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$api/client';
import { pushSwitch } from './pushSwitch.svelte';

const ENDPOINT = 'https://push.example.org/one';
let subscription: PushSubscription | null;
const requestPermission = vi.fn<() => Promise<NotificationPermission>>();
const subscribe = vi.fn();
const post = vi.fn();

function allow(permission: NotificationPermission): void {
  vi.stubGlobal('Notification', { permission, requestPermission });
}

beforeEach(() => {
  localStorage.clear();
  vi.clearAllMocks();
  const made = {
    endpoint: ENDPOINT,
    toJSON: () => ({ endpoint: ENDPOINT, expirationTime: null, keys: { p256dh: 'public', auth: 'secret' } }),
    unsubscribe: vi.fn(() => {
      subscription = null;
      return Promise.resolve(true);
    }),
  } as unknown as PushSubscription;
  subscription = null;
  subscribe.mockImplementation(() => {
    subscription = made;
    return Promise.resolve(made);
  });
  const pushManager = { subscribe, getSubscription: () => Promise.resolve(subscription) };
  vi.stubGlobal('PushManager', vi.fn());
  Object.defineProperty(navigator, 'serviceWorker', {
    value: { ready: Promise.resolve({ pushManager }) },
    configurable: true,
  });
  allow('default');
  requestPermission.mockImplementation(() => {
    allow('granted');
    return Promise.resolve('granted');
  });
  const done = { data: { key: 'AAEC' }, response: new Response() };
  vi.spyOn(api, 'GET').mockResolvedValue(done as never);
  post.mockResolvedValue({ response: new Response(null, { status: 204 }) });
  vi.spyOn(api, 'POST').mockImplementation(post as never);
  vi.spyOn(api, 'DELETE').mockResolvedValue({ response: new Response(null, { status: 204 }) } as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('asks for nothing until it is pressed', async () => {
  await pushSwitch.open();
  expect(pushSwitch.state).toBe('off');
  expect(requestPermission).not.toHaveBeenCalled();
});

it('asks the browser once pressed, and tells the server where to send', async () => {
  await pushSwitch.open();
  await pushSwitch.turnOn();
  expect(pushSwitch.state).toBe('on');
  expect(subscribe).toHaveBeenCalledWith({
    userVisibleOnly: true,
    applicationServerKey: new Uint8Array([0, 1, 2]),
  });
  expect(post).toHaveBeenCalledWith('/api/reminders/push', {
    body: { endpoint: ENDPOINT, keys: { p256dh: 'public', auth: 'secret' } },
  });
});

it('tells the server anew at each start where a person has turned it on', async () => {
  await pushSwitch.turnOn();
  post.mockClear();
  await pushSwitch.open();
  expect(post).toHaveBeenCalledOnce();
  expect(pushSwitch.state).toBe('on');
});

it('stays off for somebody else who signs in here', async () => {
  await pushSwitch.turnOn();
  localStorage.clear();
  post.mockClear();
  await pushSwitch.open();
  expect(post).not.toHaveBeenCalled();
  expect(pushSwitch.state).toBe('off');
});

it('takes a no for an answer', async () => {
  requestPermission.mockImplementation(() => {
    allow('denied');
    return Promise.resolve('denied');
  });
  await pushSwitch.turnOn();
  expect(pushSwitch.state).toBe('denied');
  expect(post).not.toHaveBeenCalled();
});

it('is turned off at the server and in the browser', async () => {
  await pushSwitch.turnOn();
  await pushSwitch.turnOff();
  expect(api.DELETE).toHaveBeenCalledOnce();
  expect(subscription).toBeNull();
  expect(pushSwitch.state).toBe('off');
});

it('says where a browser cannot', async () => {
  Object.defineProperty(navigator, 'serviceWorker', { value: undefined, configurable: true });
  Reflect.deleteProperty(navigator, 'serviceWorker');
  await pushSwitch.open();
  expect(pushSwitch.state).toBe('unsupported');
});
