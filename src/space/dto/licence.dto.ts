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

  @Limit('Bytes that all files may take.', 0)
  attachmentLimit: number;

  @Limit('Bytes of a file of an issue.', 10 * MEBIBYTE)
  attachmentLimitPerFile: number;

  @Limit('Files of an issue.', 100)
  attachmentNumLimit: number;

  @Flag('Whether issues can have custom fields.', true)
  attribute: boolean;

  @Limit('Custom fields of a project.', 100)
  attributeLimit: number;

  @Flag('Whether there are burndown charts.', false)
  burndown: boolean;

  @Limit('Comments of an issue.', 0)
  commentLimit: number;

  @Limit('Categories of a project.', 500)
  componentLimit: number;

  @Flag('Whether projects can share files.', true)
  fileSharing: boolean;

  @Flag('Whether there are Gantt charts.', false)
  gantt: boolean;

  @Flag('Whether projects can have git repositories.', true)
  git: boolean;

  @Limit('Issues of a project.', 0)
  issueLimit: number;

  @ApiProperty({ type: 'integer', description: 'Always 0: none of the plans of the family.', example: 0 })
  licenceTypeId: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    enum: [null],
    description: 'It does not end.',
    example: null,
  })
  limitDate: null;

  @Flag("Whether users sign in with the family's account.", false)
  nulabAccount: boolean;

  @Flag('Whether issues can have child issues.', true)
  parentChildIssue: boolean;

  @Flag('Whether issues can be added by mail.', false)
  postIssueByMail: boolean;

  @Limit('Projects of the space.', 5000)
  projectLimit: number;

  @Limit('Bytes of a file of a pull request.', 10 * MEBIBYTE)
  pullRequestAttachmentLimitPerFile: number;

  @Limit('Files of a pull request.', 100)
  pullRequestAttachmentNumLimit: number;

  @Flag('Whether clients have to come from certain addresses.', false)
  remoteAddress: boolean;

  @Limit('Addresses that can be allowed.', 0)
  remoteAddressLimit: number;

  @TimestampProperty({ description: 'When the space was made.' })
  startedOn: string;

  @Limit('Bytes that all files may take.', 0)
  storageLimit: number;

  @Flag('Whether projects can have Subversion repositories.', false)
  subversion: boolean;

  @Flag('Whether Subversion can be used from elsewhere.', false)
  subversionExternal: boolean;

  @Limit('Users of the space.', 5000)
  userLimit: number;

  @Limit('Versions of a project.', 500)
  versionLimit: number;

  @Flag('Whether wiki pages can have files.', true)
  wikiAttachment: boolean;

  @Limit('Bytes of a file of a wiki page.', 10 * MEBIBYTE)
  wikiAttachmentLimitPerFile: number;

  @Limit('Files of a wiki page.', 100)
  wikiAttachmentNumLimit: number;
}
