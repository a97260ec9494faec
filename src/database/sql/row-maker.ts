/** Creates the object of a row from its values, in the order of the names. */
export type RowMaker = (values: readonly unknown[]) => Record<string, unknown>;

const makers = new Map<string, RowMaker>();
const MAX_MAKERS = 2000;

/**
 * Returns the function that creates rows with these property names. It is compiled, as the driver of MySQL does it: an object that gets its
 * properties one by one under computed names takes fifteen times as long. The names must come from statements of this service.
 */
export function rowMaker(names: readonly string[]): RowMaker {
  const key = JSON.stringify(names);
  let maker = makers.get(key);
  if (!maker) {
    const properties = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
    // oxlint-disable-next-line typescript/no-implied-eval -- each name is a string literal of the code
    maker = new Function('values', `return { ${properties.join(', ')} };`) as RowMaker;
    if (makers.size >= MAX_MAKERS) makers.clear();
    makers.set(key, maker);
  }
  return maker;
}
