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
    rules: (said) => [Matches(PROJECT_KEY, said)],
  });

/** A flag for what clients show in a project. The service stores it, but disables nothing. */
const FlagField = (description: string, initial: boolean): PropertyDecorator =>
  BooleanField({ description, default: initial, optional: true, example: initial });

/** Body of `POST /projects`. */
export class AddProjectDto {
  @TextField({ description: 'Name of the project.', min: 1, max: 255, trim: true, example: 'Website' })
  name: string;

  @ProjectKeyField({
    description: "The first part of its issues' keys; no other project may have it.",
    example: 'WEB',
  })
  key: string;

  @FlagField('Clients show a burndown chart.', false)
  readonly chartEnabled: boolean = false;

  @FlagField('The chart counts resolved issues as done.', false)
  readonly useResolvedForChart: boolean = false;

  @FlagField('Clients offer issues under issues.', true)
  readonly subtaskingEnabled: boolean = true;

  @FlagField('Clients offer issues under those.', false)
  readonly grandchildIssueEnabled: boolean = false;

  @FlagField('Clients let project administrators choose others.', false)
  readonly projectLeaderCanEditProjectLeader: boolean = false;

  @FlagField('Clients show the wiki.', true)
  readonly useWiki: boolean = true;

  @FlagField('Clients show documents.', false)
  readonly useDocument: boolean = false;

  @FlagField('Clients show shared files.', false)
  readonly useFileSharing: boolean = false;

  @FlagField('Clients show wiki pages as a tree.', true)
  readonly useWikiTreeView: boolean = true;

  @FlagField('Clients show Subversion.', false)
  readonly useSubversion: boolean = false;

  @FlagField('Clients show git.', true)
  readonly useGit: boolean = true;

  @FlagField('Clients show images of wiki pages in full size.', false)
  readonly useOriginalImageSizeAtWiki: boolean = false;

  @FlagField('Clients show what developers add to issues.', false)
  readonly useDevAttributes: boolean = false;

  @EnumField({
    description: 'How its texts are to be read.',
    values: TEXT_FORMATTING_RULES,
    default: 'markdown',
    example: 'markdown',
    optional: true,
  })
  readonly textFormattingRule: string = 'markdown';
}
