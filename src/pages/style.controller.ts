import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Res } from '@nestjs/common';
import { type Response } from 'express';
import { Public } from '../access/access';
import { STYLE, STYLE_PATH } from './style';

@ApiExcludeController()
@Public()
@Controller()
export class StyleController {
  @Get(STYLE_PATH)
  @Header('Cache-Control', 'public, max-age=31536000, immutable')
  getStyle(@Res() response: Response): void {
    response.type('css').send(STYLE);
  }
}
