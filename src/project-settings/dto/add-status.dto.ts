import { ColorField, TextField } from '../../http/fields';

/** Body of 4.6. */
export class AddStatusDto {
  @TextField({
    description: 'Unlike any other in the project, whatever the case of its letters.',
    min: 1,
    max: 255,
    trim: true,
    example: 'In review',
  })
  name: string;

  @ColorField({ description: 'Colour to show it in.', example: '#3b9dbd' })
  color: string;
}
