import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { MAX_ICON_SIDE, MAX_ICON_SIZE } from './icons.service';

/** The limits of an uploaded icon, for descriptions of operations. */
export const ICON_LIMITS = `${NOT_OF_THE_FAMILY} The form part \`file\` is a PNG, JPEG, WebP or GIF image of at most ${MAX_ICON_SIZE / 1024 / 1024} MiB and ${MAX_ICON_SIDE} pixels in each direction; the format is detected from the content, not the name.`;

/** Documents the body of an operation that accepts a picture. */
export const TakesIcon = (): MethodDecorator =>
  applyDecorators(
    ApiConsumes('multipart/form-data'),
    ApiBody({
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
    }),
  );
