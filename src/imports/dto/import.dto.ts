import { ApiProperty } from '@nestjs/swagger';
import { IMPORT_PHASES } from '../import-state';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';

/** The states of an import by their names. */
export const IMPORT_STATES = ['running', 'stopped', 'done', 'cancelling', 'cancelled', 'refused'] as const;

/** How far an import is. */
export class ImportProgressDto {
  @ApiProperty({
    enum: IMPORT_PHASES,
    example: 'write',
    description: 'A source is read in the phase `read`, and again in `compare`.',
  })
  phase: string;

  @ApiProperty({
    description: 'What is being read of a source, such as `issues of DEMO`; empty in other phases.',
    example: '',
  })
  what: string;

  @ApiProperty({ description: 'Records, files or repositories that the phase has done.', example: 1200 })
  done: number;

  @ApiProperty({ description: 'All of the phase; 0 if unknown.', example: 5000 })
  total: number;

  @TimestampProperty({
    nullable: true,
    description: 'Until when the limits of a source let the import wait; null if they do not.',
  })
  waitingUntil: string | null;
}

/** A project of an archive. */
export class ImportedProjectDto {
  @ApiProperty({ description: 'The key in the archive.', example: 'OLD' })
  key: string;

  @ApiProperty({ description: 'The key in the space.', example: 'NEW' })
  as: string;

  @ApiProperty({ example: 'A project' })
  name: string;
}

/** How the people of an archive were found in the space. */
export class ImportedPeopleDto {
  @ApiProperty({ description: 'By the field `users`.', example: 1 })
  option: number;

  @ApiProperty({ description: 'By a mail address that only one has.', example: 12 })
  mail: number;

  @ApiProperty({ description: 'By the login name.', example: 3 })
  userId: number;

  @ApiProperty({ description: 'Not found: added.', example: 2 })
  added: number;
}

/** What an import will do. */
export class ImportPlanDto {
  @ApiProperty({
    description: 'The numbers of records by their kinds.',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { issue: 120, comment: 340 },
  })
  records: Record<string, number>;

  @ApiProperty({ example: 14 })
  files: number;

  @ApiProperty({ description: 'Size of the files in bytes.', example: 1048576 })
  fileBytes: number;

  @ApiProperty({ example: 2 })
  repositories: number;

  @ApiProperty({ type: [ImportedProjectDto] })
  projects: ImportedProjectDto[];

  @ApiProperty({ type: ImportedPeopleDto })
  people: ImportedPeopleDto;

  @ApiProperty({
    description: 'The login names of people who are added, at most 100.',
    type: [String],
    example: ['mika'],
  })
  unknownPeople: string[];

  @ApiProperty({ description: 'What the space will not have.', type: [String], example: [] })
  losses: string[];
}

/** A kind of records whose rows differ from the archive. */
export class ImportDifferenceDto {
  @ApiProperty({ example: 'issue' })
  kind: string;

  @ApiProperty({ example: 120 })
  expected: number;

  @ApiProperty({ example: 119 })
  found: number;
}

/** The result of comparing a source with what was imported from it. */
export class ComparedSourceDto {
  @ApiProperty({ description: 'Number of compared records.', example: 5000 })
  compared: number;

  @ApiProperty({
    description: 'What has changed in the source since it was read. The import is published nevertheless.',
    type: [ImportDifferenceDto],
  })
  differences: ImportDifferenceDto[];

  @ApiProperty({ description: 'Why the source could not be read again; empty if it could.', example: '' })
  error: string;
}

/** The result of comparing the written rows with the archive. */
export class ImportReportDto {
  @ApiProperty({ description: 'Number of compared rows.', example: 5000 })
  compared: number;

  @ApiProperty({ description: 'An import with differences is not published.', type: [ImportDifferenceDto] })
  differences: ImportDifferenceDto[];

  @NullableProperty(() => ComparedSourceDto, { description: 'Null for an archive of a file.' })
  source: ComparedSourceDto | null;
}

/** An import of an archive or a source. */
export class ImportDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({
    description: 'The name of the file, or the address of the source.',
    example: 'projects.pms',
  })
  name: string;

  @ApiProperty({
    description: 'Size of the archive in bytes; 0 until a source has been read.',
    example: 2097152,
  })
  size: number;

  @ApiProperty({ enum: IMPORT_STATES, example: 'running' })
  state: (typeof IMPORT_STATES)[number];

  @ApiProperty({ type: ImportProgressDto })
  progress: ImportProgressDto;

  @NullableProperty(() => ImportPlanDto, { description: 'Null until the archive has been checked.' })
  plan: ImportPlanDto | null;

  @NullableProperty(() => ImportReportDto, { description: 'Null until the rows have been compared.' })
  report: ImportReportDto | null;

  @ApiProperty({
    description: 'Why it has stopped, been refused or been replaced; empty otherwise.',
    example: '',
  })
  error: string;

  @IdProperty({ description: 'The Administrator; null for a command.', nullable: true, example: 1 })
  createdUserId: number | null;

  @TimestampProperty()
  created: string;

  @TimestampProperty({ nullable: true })
  finished: string | null;
}
