package experiment

// Registry lists the experiments in the order help shows them.
var Registry = []Experiment{
	graphClassification.experiment(),
	nodeClassification.experiment(),
	ablation.experiment(),
	twoMoon,
	zincEdges,
	zincGraphs,
	molGAN,
	marsExperiment,
	optimiseExperiment,
	edgeTasks,
	tablesExperiment,
	linkExperiment,
	compression,
	transformTime,
	messageTime,
}
