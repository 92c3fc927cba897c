/** How tall an hour is in the columns of days. */
export const HOUR_PX = 48;
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
