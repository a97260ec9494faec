import { ColorField, TextField } from '../../http/fields';

/** Body of 4.5. */
export class AddIssueTypeDto {
  @TextField({
    description: 'Unlike any other in the project, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example: 'Incident',
  })
  name: string;

  @ColorField({ description: 'Colour to show it in.', example: '#990000' })
  color: string;

  @TextField({
    description: 'Summary that a new issue of the type starts with.',
    max: 255,
    optional: true,
    example: 'Outage of …',
  })
  templateSummary?: string;

  @TextField({
    description: 'Description that a new issue of the type starts with.',
    max: 100_000,
    optional: true,
    example: 'What happened, since when?',
  })
  templateDescription?: string;
}
