import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { ImportRunRepository } from './data/import-run.repository';

/** The import named in the path. */
export interface ImportResource extends AccessResource {
  id: number;
}

/** Finds the import of `/space/imports/{importId}`. That it exists is no secret; only Administrators learn more. */
@Injectable()
export class ImportLoader implements ResourceLoader<ImportResource> {
  constructor(private readonly runs: ImportRunRepository) {}

  async load({ importId }: PathParameters): Promise<ImportResource> {
    const id = parseId(importId);
    if (id === undefined || !(await this.runs.find(id))) throw new NoResourceError('import');
    return { id };
  }
}
