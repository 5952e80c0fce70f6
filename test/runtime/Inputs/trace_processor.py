# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of Perfetto's trace processor, which trace-processor.js runs."""
import subprocess
import sys
from pathlib import Path

from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc


class Pipes:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise ConnectionError("the trace processor ended, see above")
        return data


class TraceProcessor(TraceProcessorRpc):
    def load(self, file):
        """Loads an open file, which may be large, in several requests."""
        rpc = self.protos.TraceProcessorRpc

        def requests():
            yield {"request": rpc.TPM_RESET_TRACE_PROCESSOR}
            while part := file.read(16 << 20):
                yield {"request": rpc.TPM_APPEND_TRACE_DATA, "append_trace_data": part}
            yield {"request": rpc.TPM_FINALIZE_TRACE_DATA}
        for part in requests():
            stream = self.protos.TraceProcessorRpcStream(msg=[part])
            self.transport.send(stream.SerializeToString())
            reply = rpc.FromString(self._read_payload())
            if error := reply.append_result.error or reply.finalize_data_result.error:
                sys.exit(f"the trace processor refuses the trace: {error}")

    def query(self, sql):
        result = self.execute_query(sql)
        if result.error:
            sys.exit(result.error)
        for row in QueryResultIterator(result.column_names, result.batch):
            yield tuple(vars(row).values())


def start(page):
    """page: the folder of Perfetto's page."""
    node = Path(__file__).parent / "trace-processor.js"
    return TraceProcessor(Pipes(["node", node, page]), ProtoFactory(PlatformDelegate()))
