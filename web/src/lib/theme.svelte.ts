/** Light, dark or as the system: kept in this browser and put on <html> as soon as this is imported. */
export type ThemeChoice = 'light' | 'dark' | 'system';

const THEME_STORAGE_KEY = 'tertulia.theme';
const CHOICES: readonly ThemeChoice[] = ['light', 'dark', 'system'];

class Theme {
  #choice = $state<ThemeChoice>(stored());
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    this.#show();
    this.#dark.addEventListener('change', () => this.#show());
    // Another tab chose.
    addEventListener('storage', (event) => {
      if (event.key !== THEME_STORAGE_KEY) return;
      this.#choice = stored();
      this.#show();
    });
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  set choice(choice: ThemeChoice) {
    this.#choice = choice;
    localStorage.setItem(THEME_STORAGE_KEY, choice);
    this.#show();
  }

  #show(): void {
    const system = this.#dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = this.#choice === 'system' ? system : this.#choice;
  }
}

function stored(): ThemeChoice {
  const kept = localStorage.getItem(THEME_STORAGE_KEY);
  return CHOICES.find((choice) => choice === kept) ?? 'system';
}

export const theme = new Theme();
