/** The part of oidc-provider that the tests use: it has no types of its own. */
declare module 'oidc-provider' {
  import { type Server } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): Parameters<typeof import('node:http').createServer>[0];
    listen(port: number, host: string, listening: () => void): Server;
  }
}
