//! Loads a .safetensors file with the crate alone, each tensor into a Vec<f32> of its own: `read FILE` or `map FILE`.
use safetensors::SafeTensors;
use std::collections::HashMap;
use std::fs::File;

fn tensors_of(bytes: &[u8]) -> HashMap<String, Vec<f32>> {
    let file = SafeTensors::deserialize(bytes).expect("safetensors");
    file.tensors()
        .into_iter()
        .map(|(name, view)| {
            let values = view.data().chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
            (name, values.collect())
        })
        .collect()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let tensors = if words[1] == "map" {
        let file = File::open(&words[2]).expect("a file");
        let mapped = unsafe { memmap2::Mmap::map(&file) }.expect("a mapping");
        tensors_of(&mapped)
    } else {
        tensors_of(&std::fs::read(&words[2]).expect("a file"))
    };
    println!("{} tensors", tensors.len());
}
