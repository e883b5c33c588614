//go:build !noasm

package kernel

// loopsOf returns the element-wise kernels of a level.
func loopsOf(l simdLevel) *loops {
	if l == levelGeneric {
		return &genericLoops
	}
	return vectorLoops(l == levelAVX512)
}

// pick is the kernel in AVX-512 where wide is set, else that in AVX2.
func pick[F any](wide bool, avx512, avx2 F) F {
	if wide {
		return avx512
	}
	return avx2
}

var flatAVX2 = flatLoops{tops: segmentTopsAVX2, less: segmentLessAVX2, add: segmentAddAVX2, times: segmentTimesAVX2}

// vectorLoops are the loops in AVX-512 where wide is set, else in AVX2. Segments are short and have
// one form for both.
func vectorLoops(wide bool) *loops {
	return &loops{
		binary: [...]func(dst, x, y []float32){
			Add: pick(wide, addAVX512, addAVX2),
			Sub: pick(wide, subAVX512, subAVX2),
			Mul: pick(wide, mulAVX512, mulAVX2),
			Div: pick(wide, divAVX512, divAVX2),
		},
		scalar: [...]func(dst, x []float32, s float32){
			Add:  pick(wide, addScalarAVX512, addScalarAVX2),
			Mul:  pick(wide, mulScalarAVX512, mulScalarAVX2),
			Div:  pick(wide, divScalarAVX512, divScalarAVX2),
			RSub: pick(wide, rsubScalarAVX512, rsubScalarAVX2),
			RDiv: pick(wide, rdivScalarAVX512, rdivScalarAVX2),
		},
		axpy:     pick(wide, axpyAVX512, axpyAVX2),
		reluGrad: pick(wide, reluGradAVX512, reluGradAVX2),
		max:      pick(wide, maxAVX512, maxAVX2),
		expSub:   pick(wide, expSubAVX512, expSubAVX2),
		markMax:  pick(wide, markMaxAVX512, markMaxAVX2),
		unary: [...]func(dst, x []float32, a, b float32){
			Neg:       pick(wide, negAVX512, negAVX2),
			Abs:       pick(wide, absAVX512, absAVX2),
			Sign:      pick(wide, signAVX512, signAVX2),
			Square:    pick(wide, squareAVX512, squareAVX2),
			Sqrt:      pick(wide, sqrtAVX512, sqrtAVX2),
			Exp:       pick(wide, expAVX512, expAVX2),
			Log:       pick(wide, logAVX512, logAVX2),
			Sigmoid:   pick(wide, sigmoidAVX512, sigmoidAVX2),
			Tanh:      pick(wide, tanhAVX512, tanhAVX2),
			Softplus:  pick(wide, softplusAVX512, softplusAVX2),
			ReLU:      pick(wide, reluAVX512, reluAVX2),
			Step:      pick(wide, stepAVX512, stepAVX2),
			LeakyReLU: pick(wide, leakyReLUAVX512, leakyReLUAVX2),
			LeakyStep: pick(wide, leakyStepAVX512, leakyStepAVX2),
			Clamp:     pick(wide, clampAVX512, clampAVX2),
			InRange:   pick(wide, inRangeAVX512, inRangeAVX2),
			PowA:      powA,
			Recip:     pick(wide, recipAVX512, recipAVX2),
			Rsqrt:     pick(wide, rsqrtAVX512, rsqrtAVX2),
		},
		sum:       pick(wide, sumAVX512, sumAVX2),
		dot:       pick(wide, dotAVX512, dotAVX2),
		maxOf:     pick(wide, maxOfAVX512, maxOfAVX2),
		expSum:    pick(wide, expSumAVX512, expSumAVX2),
		expSubSum: pick(wide, expSubSumAVX512, expSubSumAVX2),

		segmentShift: segmentShiftAVX2,
		segmentScale: segmentScaleAVX2,
		flat:         &flatAVX2,

		layerNorm:          pick(wide, layerNormAVX512, layerNormAVX2),
		layerNormGrad:      pick(wide, layerNormGradAVX512, layerNormGradAVX2),
		layerNormParamGrad: pick(wide, layerNormParamGradAVX512, layerNormParamGradAVX2),

		adam: pick(wide, adamAVX512, adamAVX2),
	}
}
