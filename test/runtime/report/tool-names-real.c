/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * At the width of a terminal, all function names of LLVM, libstdc++ and Qt look
 * different, even those that differ only in template arguments or parameters.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: cd %t && %patchbay record -t function_duration -o all -- ./prog
// DEFINE: %{terminal} = %python %S/../Inputs/in-terminal.py
// DEFINE: %{distinct} = %python %S/../Inputs/distinct-names.py
// RUN: cd %t && %patchbay report --json all > json
// RUN: cd %t && %{terminal} 80 %patchbay report all | %{distinct} 80 39 json
// RUN: cd %t && %{terminal} 110 %patchbay report all | %{distinct} 110 39 json
// RUN: cd %t && %{terminal} 200 %patchbay report all | %{distinct} 200 39 json
// RUN: cd %t && %patchbay report --full-names -F 'QHash::find' -F 'std::filesystem::directory_iterator::*' -f calls,name all | FileCheck %s --implicit-check-not=QMap --implicit-check-not=llvm
// CHECK-DAG: QHash<QString, QString>::find(QString const&)
// CHECK-DAG: QHash<QString, QVariant>::find(QString const&)
// CHECK-DAG: std::filesystem::directory_iterator::directory_iterator(
#define NAMED(n, symbol)                                                       \
	__attribute__((noinline)) void f##n(void) __asm__(symbol);             \
	void f##n(void) { __asm__ volatile(""); }
#define CALL(n, symbol) f##n();
#define NAMES(X)                                                               \
	X(0, "_ZN4llvmeqINS_8DenseMapIPNS_3orc8JITDylibENS_8DenseSetINS2_24NonOwningSymbolStringPtrENS_12DenseMapInfoIS6_vEEEENS7_IS4_vEENS_6detail12DenseMapPairIS4_S9_EEEES4_S9_SA_SD_EEbRKNS_12DenseMapBaseIT_T0_T1_T2_T3_EESN_") \
	X(1, "_ZN4llvmeqINS_8DenseMapIPKNS_10BasicBlockENS1_IS4_jNS_12DenseMapInfoIS4_vEENS_6detail12DenseMapPairIS4_jEEEES6_NS8_IS4_SA_EEEES4_SA_S6_SB_EEbRKNS_12DenseMapBaseIT_T0_T1_T2_T3_EESL_") \
	X(2, "_ZN4llvm7mir2vec13MIRVocabularyC2EOSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_6ir2vec9EmbeddingESt4lessIS8_ESaISt4pairIKS8_SA_EEESI_SI_SI_RKNS_15TargetInstrInfoERKNS_18TargetRegisterInfoERKNS_19MachineRegisterInfoE") \
	X(3, "_ZN4llvm6all_ofIRNS_11SmallVectorISt8optionalINS_19TargetTransformInfo11ShuffleKindEELj6EEEZNS_13slpvectorizer7BoUpSLP18processBuildVectorINS9_25ShuffleInstructionBuilderEPNS_5ValueEJNS_9IRBuilderINS_12TargetFolderENS_24IRBuilderDefaultInserterEEES9_EEET0_PKNS9_9TreeEntryEPNS_4TypeEDpRT1_EUlRKS5_E_EEbOT_SI_") \
	X(4, "_ZN4llvm6all_ofIRNS_11SmallVectorISt8optionalINS_19TargetTransformInfo11ShuffleKindEELj6EEEZNS_13slpvectorizer7BoUpSLP18processBuildVectorINS9_20ShuffleCostEstimatorENS_15InstructionCostEJS3_NS_8ArrayRefIPNS_5ValueEEES9_NS_15SmallPtrSetImplISF_EEEEET0_PKNS9_9TreeEntryEPNS_4TypeEDpRT1_EUlRKS5_E_EEbOT_SJ_") \
	X(5, "_ZN4llvm6all_ofIRNS_11SmallVectorISt8optionalINS_19TargetTransformInfo11ShuffleKindEELj6EEEZNS_13slpvectorizer7BoUpSLP18processBuildVectorINS9_25ShuffleInstructionBuilderEPNS_5ValueEJNS_9IRBuilderINS_12TargetFolderENS_24IRBuilderDefaultInserterEEES9_EEET0_PKNS9_9TreeEntryEPNS_4TypeEDpRT1_EUlRKS5_E0_EEbOT_SI_") \
	X(6, "_ZN4llvm6all_ofIRNS_11SmallVectorISt8optionalINS_19TargetTransformInfo11ShuffleKindEELj6EEEZNS_13slpvectorizer7BoUpSLP18processBuildVectorINS9_20ShuffleCostEstimatorENS_15InstructionCostEJS3_NS_8ArrayRefIPNS_5ValueEEES9_NS_15SmallPtrSetImplISF_EEEEET0_PKNS9_9TreeEntryEPNS_4TypeEDpRT1_EUlRKS5_E0_EEbOT_SJ_") \
	X(7, "_ZN4llvm6detaileqINS_3orc24NonOwningSymbolStringPtrENS_8DenseMapIS3_NS0_13DenseSetEmptyENS_12DenseMapInfoIS3_vEENS0_12DenseSetPairIS3_EEEES7_EEbRKNS0_12DenseSetImplIT_T0_T1_EESH_") \
	X(8, "_ZN4llvm6detaileqISt4pairINS_9StringRefES3_ENS_8DenseMapIS4_NS0_13DenseSetEmptyENS_12DenseMapInfoIS4_vEENS0_12DenseSetPairIS4_EEEES8_EEbRKNS0_12DenseSetImplIT_T0_T1_EESI_") \
	X(9, "_ZN4llvm11PassManagerINS_4LoopENS_15AnalysisManagerIS1_JRNS_27LoopStandardAnalysisResultsEEEEJS4_RNS_10LPMUpdaterEEE13runSinglePassINS_8LoopNestESt10unique_ptrINS_6detail11PassConceptISA_S5_JS4_S7_EEESt14default_deleteISE_EEEESt8optionalINS_17PreservedAnalysesEERT_RT0_RS5_S4_S7_RNS_19PassInstrumentationE") \
	X(10, "_ZN4llvm11PassManagerINS_4LoopENS_15AnalysisManagerIS1_JRNS_27LoopStandardAnalysisResultsEEEEJS4_RNS_10LPMUpdaterEEE13runSinglePassIS1_St10unique_ptrINS_6detail11PassConceptIS1_S5_JS4_S7_EEESt14default_deleteISD_EEEESt8optionalINS_17PreservedAnalysesEERT_RT0_RS5_S4_S7_RNS_19PassInstrumentationE") \
	X(11, "_ZN4llvm16GenericCycleInfoINS_17GenericSSAContextINS_15MachineFunctionEEEE23const_toplevel_iteratorC2EN9__gnu_cxx17__normal_iteratorIPKSt10unique_ptrINS_12GenericCycleIS3_EESt14default_deleteISA_EESt6vectorISD_SaISD_EEEE") \
	X(12, "_ZN4llvm17VPlanPatternMatch5matchINS_7VPValueENS0_12Recipe_matchISt5tupleIJNS0_14specificval_tyENS0_7bind_tyIS2_EEEELj29ELb1EJNS_13VPWidenRecipeENS_17VPReplicateRecipeENS_13VPInstructionEEEEEEbPT_RKT0_") \
	X(13, "_ZN4llvm17VPlanPatternMatch5matchINS0_12Recipe_matchISt5tupleIJNS0_7bind_tyINS_7VPValueEEES6_EELj13ELb1EJNS_13VPWidenRecipeENS_17VPReplicateRecipeENS_13VPInstructionEEEEEEbPNS_17VPSingleDefRecipeERKT_") \
	X(14, "_ZN4llvm12GenericCycleINS_17GenericSSAContextINS_15MachineFunctionEEEE20const_child_iteratorC2EN9__gnu_cxx17__normal_iteratorIPKSt10unique_ptrIS4_St14default_deleteIS4_EESt6vectorISB_SaISB_EEEE") \
	X(15, "_ZN4llvm7memprof25CallStackRadixTreeBuilderIjE5buildEONS_9MapVectorImNS_11SmallVectorIjLj12EEENS_8DenseMapImjNS_12DenseMapInfoImvEENS_6detail12DenseMapPairImjEEEENS4_ISt4pairImS5_ELj0EEEEEPKNS6_IjjNS7_IjvEENSA_IjjEEEERNS6_IjNS0_9FrameStatESI_NSA_IjSN_EEEE") \
	X(16, "_ZN4llvm7memprof25CallStackRadixTreeBuilderImE5buildEONS_9MapVectorImNS_11SmallVectorImLj6EEENS_8DenseMapImjNS_12DenseMapInfoImvEENS_6detail12DenseMapPairImjEEEENS4_ISt4pairImS5_ELj0EEEEEPKSC_RNS6_ImNS0_9FrameStatES8_NSA_ImSK_EEEE") \
	X(17, "_ZNKSt7__cxx118time_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE8get_yearES4_S4_RSt8ios_baseRSt12_Ios_IostateP2tm") \
	X(18, "_ZNKSt7__cxx118time_getIwSt19istreambuf_iteratorIwSt11char_traitsIwEEE8get_yearES4_S4_RSt8ios_baseRSt12_Ios_IostateP2tm") \
	X(19, "_ZNKSt7__cxx119money_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES4_bRSt8ios_basecRKNS_12basic_stringIcS3_SaIcEEE") \
	X(20, "_ZNKSt7__cxx119money_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES4_bRSt8ios_basece") \
	X(21, "_ZNKSt7__cxx119money_putIwSt19ostreambuf_iteratorIwSt11char_traitsIwEEE6do_putES4_bRSt8ios_basewRKNS_12basic_stringIwS3_SaIwEEE") \
	X(22, "_ZNKSt7__cxx119money_putIwSt19ostreambuf_iteratorIwSt11char_traitsIwEEE6do_putES4_bRSt8ios_basewe") \
	X(23, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_NS6_IPcS4_EESB_") \
	X(24, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_PcSA_") \
	X(25, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_RKS4_") \
	X(26, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_S8_") \
	X(27, "_ZNSt10filesystem18directory_iteratorC2ERKNS_4pathENS_17directory_optionsEPSt10error_code") \
	X(28, "_ZNSt10filesystem28recursive_directory_iteratorC2ERKNS_4pathENS_17directory_optionsEPSt10error_code") \
	X(29, "_ZNSt10filesystem7__cxx1118directory_iteratorC2ERKNS0_4pathENS_17directory_optionsEPSt10error_code") \
	X(30, "_ZNSt10filesystem7__cxx1128recursive_directory_iteratorC2ERKNS0_4pathENS_17directory_optionsEPSt10error_code") \
	X(31, "_ZN7QObject11qt_metacallEN11QMetaObject4CallEiPPv") \
	X(32, "_ZN7QWidget11qt_metacallEN11QMetaObject4CallEiPPv") \
	X(33, "_ZN9QtPrivate15QSlotObjectBase4callEP7QObjectPPv") \
	X(34, "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv") \
	X(35, "_ZN5QHashI7QStringS0_E4findERKS0_") \
	X(36, "_ZN5QHashI7QString8QVariantE4findERKS0_") \
	X(37, "_ZN4QMapI7QString5QListI8QVariantEE6insertERKS0_RKS3_")

NAMES(NAMED)

int main(void)
{
	NAMES(CALL)
	return 0;
}
