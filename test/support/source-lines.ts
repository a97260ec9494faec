import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';

const { sourceMapOf } = createRequire(__filename)('./typescript-hook.cjs') as {
  sourceMapOf(file: string): SourceMapPayload | undefined;
};

const PLACE = /(\/[^\s:()]+\.tsx?):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const payload = sourceMapOf(file);
    maps.set(file, payload && new SourceMap(payload));
  }
  return maps.get(file);
}

/** Returns a place in the source of the service for one in its compiled code; any other place as it is. */
function sourcePlace(place: string, file: string, line: string, column: string): string {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  return entry && 'originalLine' in entry
    ? `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    : place;
}

declare global {
  /** Whether the stacks of this worker name the lines of the service's sources. Vite names those of the suites. */
  var __sourceLines__: boolean | undefined;
}

const { prepareStackTrace } = Error as Partial<ErrorConstructor>;
if (!globalThis.__sourceLines__ && prepareStackTrace) {
  globalThis.__sourceLines__ = true;
  Error.prepareStackTrace = (error, frames) => {
    const stack: unknown = prepareStackTrace(error, frames);
    return typeof stack === 'string' ? stack.replace(PLACE, sourcePlace) : stack;
  };
}
