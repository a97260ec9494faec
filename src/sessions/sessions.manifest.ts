import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { Session } from './entities/session.entity';

export const sessionsManifest = {
  disposable: [Session],
  pathParameters: { sessionId: idParameter('session') },
} satisfies Manifest;
