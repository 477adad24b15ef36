//! Loads a .safetensors file with candle: `buffer FILE` or `mmap FILE`.
use candle_core::safetensors::{load_buffer, MmapedSafetensors};
use candle_core::{Device, Tensor};
use std::collections::HashMap;

fn from_buffer(path: &str) -> HashMap<String, Tensor> {
    let bytes = std::fs::read(path).expect("a file");
    load_buffer(&bytes, &Device::Cpu).expect("safetensors")
}

fn from_map(path: &str) -> HashMap<String, Tensor> {
    let file = unsafe { MmapedSafetensors::new(path) }.expect("safetensors");
    file.tensors()
        .into_iter()
        .map(|(name, _)| {
            let tensor = file.load(&name, &Device::Cpu).expect("a tensor");
            (name, tensor)
        })
        .collect()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let tensors = if words[1] == "mmap" { from_map(&words[2]) } else { from_buffer(&words[2]) };
    println!("{} tensors", tensors.len());
}
