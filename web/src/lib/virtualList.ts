/** What every virtual list gives its items. */

/**
 * Lets the items of a list be clicked at any time.
 *
 * The list takes no clicks until a while after its last scroll, whoever scrolled: a press right after the page
 * was drawn at its end, or whose release comes after a reply has grown, would go to nobody.
 */
export const clickableItemProps = () => ({ style: { 'pointer-events': 'auto' } });
