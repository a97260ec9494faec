import { IdListField } from '../../http/request/fields';

/** Body of a request that links shared files to an issue or a wiki page. */
export class LinkSharedFilesDto {
  @IdListField({ description: 'Files of the same project, not folders.', min: 1, example: [2] })
  fileId: number[];
}
