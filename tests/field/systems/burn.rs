//! Loads a ResNet's state_dict with burn's own reader of PyTorch files, as an application does: FILE [BLOCKS OF EACH LAYER].
use burn::backend::NdArray;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::record::{FullPrecisionSettings, Recorder};
use burn::tensor::backend::Backend;
use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder};

#[derive(Module, Debug)]
struct Downsample<B: Backend> {
    conv: Conv2d<B>,
    bn: BatchNorm<B, 2>,
}

#[derive(Module, Debug)]
struct Bottleneck<B: Backend> {
    conv1: Conv2d<B>,
    bn1: BatchNorm<B, 2>,
    conv2: Conv2d<B>,
    bn2: BatchNorm<B, 2>,
    conv3: Conv2d<B>,
    bn3: BatchNorm<B, 2>,
    downsample: Option<Downsample<B>>,
}

#[derive(Module, Debug)]
struct ResNet<B: Backend> {
    conv1: Conv2d<B>,
    bn1: BatchNorm<B, 2>,
    layer1: Vec<Bottleneck<B>>,
    layer2: Vec<Bottleneck<B>>,
    layer3: Vec<Bottleneck<B>>,
    layer4: Vec<Bottleneck<B>>,
    fc: Linear<B>,
}

fn conv<B: Backend>(from: usize, to: usize, size: usize, device: &B::Device) -> Conv2d<B> {
    Conv2dConfig::new([from, to], [size, size]).with_bias(false).init(device)
}

fn layer<B: Backend>(from: usize, width: usize, count: usize, device: &B::Device) -> Vec<Bottleneck<B>> {
    let out = width * 4;
    (0..count)
        .map(|i| {
            let first = if i == 0 { from } else { out };
            Bottleneck {
                conv1: conv(first, width, 1, device),
                bn1: BatchNormConfig::new(width).init(device),
                conv2: conv(width, width, 3, device),
                bn2: BatchNormConfig::new(width).init(device),
                conv3: conv(width, out, 1, device),
                bn3: BatchNormConfig::new(out).init(device),
                downsample: (i == 0).then(|| Downsample {
                    conv: conv(from, out, 1, device),
                    bn: BatchNormConfig::new(out).init(device),
                }),
            }
        })
        .collect()
}

fn main() {
    type B = NdArray<f32>;
    let path = std::env::args().nth(1).expect("the path of a ResNet-152's state_dict");
    let told: Vec<usize> = std::env::args().skip(2).map(|count| count.parse().expect("a number")).collect();
    let counts = if told.len() == 4 { told } else { vec![3, 8, 36, 3] };
    let device = Default::default();
    let args = LoadArgs::new(path.into()).with_key_remap("(.+)\\.downsample\\.0\\.(.+)", "$1.downsample.conv.$2").with_key_remap(
        "(.+)\\.downsample\\.1\\.(.+)",
        "$1.downsample.bn.$2",
    );
    let record: ResNetRecord<B> =
        PyTorchFileRecorder::<FullPrecisionSettings>::default().load(args, &device).expect("a state_dict");
    let net = ResNet::<B> {
        conv1: conv(3, 64, 7, &device),
        bn1: BatchNormConfig::new(64).init(&device),
        layer1: layer(64, 64, counts[0], &device),
        layer2: layer(256, 128, counts[1], &device),
        layer3: layer(512, 256, counts[2], &device),
        layer4: layer(1024, 512, counts[3], &device),
        fc: LinearConfig::new(2048, 1000).init(&device),
    }
    .load_record(record);
    println!("{} parameters, {}", net.num_params(), net.fc.weight.val().sum());
}
