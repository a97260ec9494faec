/** Returns a number with commas between thousands. The first use of `Intl` takes 10 ms of the start. */
export const grouped = (number: number): string =>
  String(number).replace(/\d+/, (digits) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ','));

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1 row`, `2,000 rows` */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${grouped(count)} ${count === 1 ? thing : things}`;

/** `512 bytes`, `1.5 MiB` */
export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const digits = power === 0 ? 0 : 1;
  return `${(bytes / 1024 ** power).toFixed(digits)} ${UNITS[power]}`;
}
