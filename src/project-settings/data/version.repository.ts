import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Version } from '../entities/version.entity';
import { SettingRepository } from './setting.repository';

const KEYS = [
  'id',
  'projectId',
  'name',
  'description',
  'startDate',
  'releaseDueDate',
  'archived',
  'displayOrder',
] as const;

/** The columns read of a version. */
export type VersionRow = Pick<Version, (typeof KEYS)[number]>;

/** Repository of versions. */
@Injectable()
export class VersionRepository extends SettingRepository<VersionRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, Version, 'version', 'version', KEYS);
  }
}
