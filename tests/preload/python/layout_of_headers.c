/* Prints the row of preload/python/layouts.inc for the Python whose headers it is compiled with:
 *
 *     cc -I $PREFIX/include/python3.N -I $PREFIX/include/python3.N/internal layout_of_headers.c
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#endif
#else
#include <frameobject.h>
#endif
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#include <stddef.h>
#include <stdio.h>

#define FIELD(name, type, field) printf(" ." #name " = %zu,", offsetof(type, field))

int main(void) {
  printf("{.version = 0x%04x,", (unsigned)(PY_VERSION_HEX >> 16));
#if PY_VERSION_HEX < 0x030b0000
  printf(" .chain = Chain::kPairs,");
#elif PY_VERSION_HEX < 0x030c0000
  printf(" .chain = Chain::kCFrames,");
#elif PY_VERSION_HEX < 0x030d0000
  printf(" .chain = Chain::kCFrameEntry,");
#else
  printf(" .chain = Chain::kEntryFrames,");
#endif
#if PY_VERSION_HEX < 0x030b0000
  printf(" .line_format = wire::LineFormat::kRanges,\n");
#else
  printf(" .line_format = wire::LineFormat::kLocations,\n");
#endif
  FIELD(finalizing, _PyRuntimeState, _finalizing);
#if PY_VERSION_HEX < 0x030c0000
  FIELD(auto_key, _PyRuntimeState, gilstate.autoTSSkey);
#elif PY_VERSION_HEX < 0x030f0000
  FIELD(auto_key, _PyRuntimeState, autoTSSkey);
#endif
  FIELD(thread_id, PyThreadState, thread_id);
#if PY_VERSION_HEX < 0x030b0000
  FIELD(start, PyThreadState, cframe);
  FIELD(start_frame, PyThreadState, frame);
  FIELD(root_anchor, PyThreadState, root_cframe);
  FIELD(anchor_previous, CFrame, previous);
#elif PY_VERSION_HEX < 0x030d0000
  FIELD(start, PyThreadState, cframe);
  FIELD(anchor_frame, _PyCFrame, current_frame);
  FIELD(anchor_previous, _PyCFrame, previous);
#else
  FIELD(start, PyThreadState, current_frame);
#endif
  printf("\n");
#if PY_VERSION_HEX < 0x030b0000
  FIELD(frame_previous, PyFrameObject, f_back);
  FIELD(frame_code, PyFrameObject, f_code);
  FIELD(frame_instruction, PyFrameObject, f_lasti);
#else
  FIELD(frame_previous, _PyInterpreterFrame, previous);
#if PY_VERSION_HEX < 0x030d0000
  FIELD(frame_code, _PyInterpreterFrame, f_code);
  FIELD(frame_instruction, _PyInterpreterFrame, prev_instr);
#else
  FIELD(frame_code, _PyInterpreterFrame, f_executable);
  FIELD(frame_instruction, _PyInterpreterFrame, instr_ptr);
#endif
  FIELD(frame_owner, _PyInterpreterFrame, owner);
#if PY_VERSION_HEX < 0x030c0000
  FIELD(frame_is_entry, _PyInterpreterFrame, is_entry);
#endif
#endif
  printf("\n");
  FIELD(code_file, PyCodeObject, co_filename);
#if PY_VERSION_HEX < 0x030b0000
  FIELD(code_name, PyCodeObject, co_name);
#else
  FIELD(code_name, PyCodeObject, co_qualname);
#endif
  FIELD(code_first_line, PyCodeObject, co_firstlineno);
  FIELD(code_lines, PyCodeObject, co_linetable);
#if PY_VERSION_HEX >= 0x030b0000
  FIELD(code_begin, PyCodeObject, co_code_adaptive);
  FIELD(code_first_traceable, PyCodeObject, _co_firsttraceable);
#endif
  printf("\n .ascii_text = %zu, .other_text = %zu},\n", sizeof(PyASCIIObject),
         sizeof(PyCompactUnicodeObject));
  return 0;
}
