import { PAGE_PATHS } from '../../src/pages/page-paths';
import { type ServiceAdapter } from '../../src/http/server/service-adapter';
import { type World } from './world';

/** A route of the service. */
export interface Route {
  method: string;
  path: string;
}

/** Returns every registered route. */
export function routesOf(world: World): Route[] {
  const { routes } = world.server.app.getHttpAdapter() as unknown as ServiceAdapter;
  const { router } = routes as unknown as { router: { routes: Route[] } };
  return router.routes;
}

const PAGES = PAGE_PATHS.map((page) => `/${page.replace('\\', '')}`);

/** Whether a path belongs to a page for people. */
export const isPage = (path: string): boolean => PAGES.includes(path) || path.startsWith('/account/');
