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
    // Middleware for every path is no operation.
    if (!layer.route || layer.route.path.includes('*') || !matches(layer, path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
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
