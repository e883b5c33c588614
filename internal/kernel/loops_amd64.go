//go:build !noasm

package kernel

// loopsOf returns the element-wise kernels of a level.
func loopsOf(l simdLevel) *loops {
	switch l {
	case levelAVX512:
		return &loopsAVX512
	case levelAVX2:
		return &loopsAVX2
	}
	return &genericLoops
}

var flatAVX2 = flatLoops{tops: segmentTopsAVX2, less: segmentLessAVX2, add: segmentAddAVX2, times: segmentTimesAVX2}

var loopsAVX2 = loops{
	binary:   [...]func(dst, x, y []float32){Add: addAVX2, Sub: subAVX2, Mul: mulAVX2, Div: divAVX2},
	scalar:   [...]func(dst, x []float32, s float32){Add: addScalarAVX2, Mul: mulScalarAVX2, Div: divScalarAVX2, RSub: rsubScalarAVX2, RDiv: rdivScalarAVX2},
	axpy:     axpyAVX2,
	reluGrad: reluGradAVX2,
	max:      maxAVX2,
	expSub:   expSubAVX2,
	markMax:  markMaxAVX2,
	unary: [...]func(dst, x []float32, a, b float32){
		Neg: negAVX2, Abs: absAVX2, Sign: signAVX2, Square: squareAVX2, Sqrt: sqrtAVX2, Exp: expAVX2, Log: logAVX2,
		Sigmoid: sigmoidAVX2, Tanh: tanhAVX2, Softplus: softplusAVX2, ReLU: reluAVX2, Step: stepAVX2,
		LeakyReLU: leakyReLUAVX2, LeakyStep: leakyStepAVX2, Clamp: clampAVX2, InRange: inRangeAVX2,
		PowA: powA, Recip: recipAVX2, Rsqrt: rsqrtAVX2,
	},
	sum:       sumAVX2,
	dot:       dotAVX2,
	maxOf:     maxOfAVX2,
	expSum:    expSumAVX2,
	expSubSum: expSubSumAVX2,

	segmentShift: segmentShiftAVX2,
	segmentScale: segmentScaleAVX2,
	flat:         &flatAVX2,

	layerNorm:          layerNormAVX2,
	layerNormGrad:      layerNormGradAVX2,
	layerNormParamGrad: layerNormParamGradAVX2,

	adam: adamAVX2,
}

var loopsAVX512 = loops{
	binary:   [...]func(dst, x, y []float32){Add: addAVX512, Sub: subAVX512, Mul: mulAVX512, Div: divAVX512},
	scalar:   [...]func(dst, x []float32, s float32){Add: addScalarAVX512, Mul: mulScalarAVX512, Div: divScalarAVX512, RSub: rsubScalarAVX512, RDiv: rdivScalarAVX512},
	axpy:     axpyAVX512,
	reluGrad: reluGradAVX512,
	max:      maxAVX512,
	expSub:   expSubAVX512,
	markMax:  markMaxAVX512,
	unary: [...]func(dst, x []float32, a, b float32){
		Neg: negAVX512, Abs: absAVX512, Sign: signAVX512, Square: squareAVX512, Sqrt: sqrtAVX512, Exp: expAVX512, Log: logAVX512,
		Sigmoid: sigmoidAVX512, Tanh: tanhAVX512, Softplus: softplusAVX512, ReLU: reluAVX512, Step: stepAVX512,
		LeakyReLU: leakyReLUAVX512, LeakyStep: leakyStepAVX512, Clamp: clampAVX512, InRange: inRangeAVX512,
		PowA: powA, Recip: recipAVX512, Rsqrt: rsqrtAVX512,
	},
	sum:       sumAVX512,
	dot:       dotAVX512,
	maxOf:     maxOfAVX512,
	expSum:    expSumAVX512,
	expSubSum: expSubSumAVX512,

	segmentShift: segmentShiftAVX2,
	segmentScale: segmentScaleAVX2,
	flat:         &flatAVX2,

	layerNorm:          layerNormAVX512,
	layerNormGrad:      layerNormGradAVX512,
	layerNormParamGrad: layerNormParamGradAVX512,

	adam: adamAVX512,
}
