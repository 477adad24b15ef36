/// The weights at an instant, tensor by tensor, layer by layer or type by type.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

/// `weights at the peak, by tensor: 679.4 MiB of 1.23 GiB hold 148 of 148 tensors`; where there is
/// none, why: `no tensors of ir.bin are known: its format lists none that tidemark can read`.
std::string tensor_title_of(const Report& report, const ReportTensors& tensors);
/// What follows a row's name: the type in the file, or how many tensors it has, and as what they
/// are held if that is another type: `f32 as f64`, `12 tensors, also as f64`.
std::string tensor_kind_of(TensorGrouping by, const TensorRow& row);

/// For the text; empty if tensors were not asked for.
std::string tensor_table(const Report& report, const TextStyle& style);
/// The same as markdown.
std::string tensor_markdown(const Report& report);
/// The same as JSON.
Json tensor_json(const Report& report);

}  // namespace tidemark::analyzer
