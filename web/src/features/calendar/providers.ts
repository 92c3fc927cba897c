/** Where people keep their calendars, and what is asked there. */
export const PROVIDERS = ['nextcloud', 'fastmail', 'icloud', 'google', 'other'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The address that is known; of others the person knows it. */
export const PROVIDER_URLS: Record<Provider, string> = {
  nextcloud: '',
  fastmail: 'https://caldav.fastmail.com/',
  icloud: 'https://caldav.icloud.com/',
  google: 'https://apidata.googleusercontent.com/caldav/v2/',
  other: '',
};

/** What the field for the address shows where it is empty. */
export const URL_EXAMPLES: Record<Provider, string> = {
  ...PROVIDER_URLS,
  nextcloud: 'https://cloud.example.org/remote.php/dav',
  other: 'https://calendar.example.org/',
};
