import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { ImportRecord } from './entities/import-record.entity';
import { ImportRun } from './entities/import-run.entity';

export const importsManifest = {
  entities: [ImportRun],
  disposable: [ImportRecord],
  pathParameters: { importId: idParameter('import') },
} satisfies Manifest;
