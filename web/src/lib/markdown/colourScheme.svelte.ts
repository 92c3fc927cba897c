/** Whether the page is dark just now, for pictures that cannot follow the page's own colours. */
class ColourScheme {
  dark = $state(false);

  constructor() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const look = (): void => {
      const chosen = document.documentElement.dataset['theme'];
      this.dark = chosen === 'dark' || (chosen !== 'light' && system.matches);
    };
    system.addEventListener('change', look);
    new MutationObserver(look).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    look();
  }
}

export const colourScheme = new ColourScheme();
