import { Matches } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';
import { BooleanField, EnumField, TextField } from '../../http/request/fields';
import { PROJECT_KEY } from '../project-key';
import { TEXT_FORMATTING_RULES } from './project.dto';

const ProjectKeyField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', pattern: PROJECT_KEY.source },
    message: 'must be 1 to 25 capital letters, digits or underscores, a letter first',
    rules: (message) => [Matches(PROJECT_KEY, message)],
  });

/** A flag for what clients show in a project. The service stores it, but disables nothing. */
const FlagField = (description: string, initial: boolean): PropertyDecorator =>
  BooleanField({ description, default: initial, optional: true, example: initial });

/** Body of `POST /projects`. */
export class AddProjectDto {
  @TextField({ description: 'Name of the project.', min: 1, max: 255, trim: true, example: 'Website' })
  name: string;

  @ProjectKeyField({
    description: 'The prefix of the issue keys, unique among all projects.',
    example: 'WEB',
  })
  key: string;

  @FlagField('Whether clients show a burndown chart.', false)
  readonly chartEnabled: boolean = false;

  @FlagField('Whether the chart counts resolved issues as done.', false)
  readonly useResolvedForChart: boolean = false;

  @FlagField('Whether clients offer child issues.', true)
  readonly subtaskingEnabled: boolean = true;

  @FlagField('Whether clients offer children of child issues.', false)
  readonly grandchildIssueEnabled: boolean = false;

  @FlagField('Whether clients let project administrators choose other project administrators.', false)
  readonly projectLeaderCanEditProjectLeader: boolean = false;

  @FlagField('Whether clients show the wiki.', true)
  readonly useWiki: boolean = true;

  @FlagField('Whether clients show documents.', false)
  readonly useDocument: boolean = false;

  @FlagField('Whether clients show shared files.', false)
  readonly useFileSharing: boolean = false;

  @FlagField('Whether clients show wiki pages as a tree.', true)
  readonly useWikiTreeView: boolean = true;

  @FlagField('Whether clients show Subversion.', false)
  readonly useSubversion: boolean = false;

  @FlagField('Whether clients show git.', true)
  readonly useGit: boolean = true;

  @FlagField('Whether clients show images on wiki pages in full size.', false)
  readonly useOriginalImageSizeAtWiki: boolean = false;

  @FlagField('Whether clients show the attributes that developers add to issues.', false)
  readonly useDevAttributes: boolean = false;

  @EnumField({
    description: 'The formatting rule of the texts.',
    values: TEXT_FORMATTING_RULES,
    default: 'markdown',
    example: 'markdown',
    optional: true,
  })
  readonly textFormattingRule: string = 'markdown';
}
