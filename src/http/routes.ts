import { type HttpAdapterHost } from '@nestjs/core';

interface ExpressLayer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a path has in any route, in capitals; none for an unknown path. */
export function methodsOf({ httpAdapter }: HttpAdapterHost, path: string): string[] {
  const { router } = httpAdapter.getInstance<{ router: { stack: ExpressLayer[] } }>();
  const methods = new Set<string>();
  for (const layer of router.stack) {
    const layerMethods = Object.keys(layer.route?.methods ?? {});
    // What is for every method is middleware; an operation has one.
    if (layerMethods.length !== 1 || !matches(layer, path)) continue;
    methods.add((layerMethods[0] as string).toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

function matches(layer: ExpressLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    // A parameter that is not well-formed percent-encoding names nothing.
    return false;
  }
}
