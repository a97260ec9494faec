import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';

const Flag = (description: string, example: boolean): PropertyDecorator =>
  ApiProperty({ description, example });

const Limit = (description: string, example: number): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: `${description} 0 means no limit.`,
    example,
  });

const MEBIBYTE = 1024 * 1024;

/** The capabilities and limits of the space in the format of the family's licences. There is no licence; the settings determine them. */
export class LicenceDto {
  @Flag('Always true.', true)
  active: boolean;

  @Limit('Maximum total size of all files, in bytes.', 0)
  attachmentLimit: number;

  @Limit('Maximum size of a file of an issue, in bytes.', 10 * MEBIBYTE)
  attachmentLimitPerFile: number;

  @Limit('Maximum number of files per issue.', 100)
  attachmentNumLimit: number;

  @Flag('Whether issues can have custom fields.', true)
  attribute: boolean;

  @Limit('Maximum number of custom fields per project.', 100)
  attributeLimit: number;

  @Flag('Whether there are burndown charts.', false)
  burndown: boolean;

  @Limit('Maximum number of comments per issue.', 0)
  commentLimit: number;

  @Limit('Maximum number of categories per project.', 500)
  componentLimit: number;

  @Flag('Whether projects can share files.', true)
  fileSharing: boolean;

  @Flag('Whether there are Gantt charts.', false)
  gantt: boolean;

  @Flag('Whether projects can have git repositories.', true)
  git: boolean;

  @Limit('Maximum number of issues per project.', 0)
  issueLimit: number;

  @ApiProperty({
    type: 'integer',
    description: 'Always 0: not one of the plans of the API family.',
    example: 0,
  })
  licenceTypeId: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    enum: [null],
    description: 'Always null: the licence does not expire.',
    example: null,
  })
  limitDate: null;

  @Flag('Whether users sign in with an account of the API family.', false)
  nulabAccount: boolean;

  @Flag('Whether issues can have child issues.', true)
  parentChildIssue: boolean;

  @Flag('Whether issues can be added by mail.', false)
  postIssueByMail: boolean;

  @Limit('Maximum number of projects.', 5000)
  projectLimit: number;

  @Limit('Maximum size of a file of a pull request, in bytes.', 10 * MEBIBYTE)
  pullRequestAttachmentLimitPerFile: number;

  @Limit('Maximum number of files per pull request.', 100)
  pullRequestAttachmentNumLimit: number;

  @Flag('Whether access is restricted to certain client addresses.', false)
  remoteAddress: boolean;

  @Limit('Maximum number of allowed addresses.', 0)
  remoteAddressLimit: number;

  @TimestampProperty({ description: 'Time at which the space was created.' })
  startedOn: string;

  @Limit('Maximum total size of all files, in bytes.', 0)
  storageLimit: number;

  @Flag('Whether projects can have Subversion repositories.', false)
  subversion: boolean;

  @Flag('Whether Subversion can be used from outside.', false)
  subversionExternal: boolean;

  @Limit('Maximum number of users.', 5000)
  userLimit: number;

  @Limit('Maximum number of versions per project.', 500)
  versionLimit: number;

  @Flag('Whether wiki pages can have files.', true)
  wikiAttachment: boolean;

  @Limit('Maximum size of a file of a wiki page, in bytes.', 10 * MEBIBYTE)
  wikiAttachmentLimitPerFile: number;

  @Limit('Maximum number of files per wiki page.', 100)
  wikiAttachmentNumLimit: number;
}
