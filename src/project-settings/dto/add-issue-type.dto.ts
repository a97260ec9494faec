import { ColorField, TextField } from '../../http/request/fields';
import { UniqueNameField } from './unique-name-field';

/** Body of a new issue type (`docs/protocol.md#add-an-issue-type-to-a-project`). */
export class AddIssueTypeDto {
  @UniqueNameField('Incident')
  name: string;

  @ColorField({ description: 'The display colour.', example: '#990000' })
  color: string;

  @TextField({
    description: 'Initial summary of new issues of the type.',
    max: 255,
    optional: true,
    example: 'Outage of …',
  })
  templateSummary?: string;

  @TextField({
    description: 'Initial description of new issues of the type.',
    max: 100_000,
    optional: true,
    example: 'What happened, since when?',
  })
  templateDescription?: string;
}
