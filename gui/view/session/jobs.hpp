/// The questions a TraceWorker can answer. All borrow the trace.
#pragma once

#include "gui/view/session/trace_worker.hpp"

#include <memory>
#include <string>

namespace tidemark::gui {

std::unique_ptr<Job> facts_job(analyzer::LoadedTrace& trace, const std::string& model);
std::unique_ptr<Job> columns_job(analyzer::LoadedTrace& trace, ColumnQuestion question);
std::unique_ptr<Job> holders_job(analyzer::LoadedTrace& trace, const Moment& moment);
std::unique_ptr<Job> blocks_job(analyzer::LoadedTrace& trace);
std::unique_ptr<Job> activity_job(analyzer::LoadedTrace& trace);

}  // namespace tidemark::gui
