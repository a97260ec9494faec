import { BooleanField, IdField, TextField } from '../../http/request/fields';

/** Body of a request that adds a wiki page. */
export class AddWikiDto {
  @IdField({ description: 'The project of the page.', example: 1 })
  projectId: number;

  @TextField({
    description:
      'The name of the page. Texts in brackets become its tags, and are not part of the name in responses. Empty brackets at the ' +
      'beginning remove all tags; a name without brackets keeps them.',
    min: 1,
    max: 255,
    trim: true,
    example: '[guide] Releases',
  })
  name: string;

  @TextField({ description: 'The content.', max: 100_000, example: '# Releases\n\nOn Mondays.' })
  content: string;

  @BooleanField({
    description:
      'Whether the other members of the project get a letter, unless they have switched these off. Has no effect if the service sends no mail.',
    optional: true,
    example: false,
  })
  mailNotify?: boolean;
}
